//! The servers that tests start: they pause, go on, end and come back.

use std::{
    io::{ErrorKind, Read, Write},
    net::{Ipv4Addr, TcpStream},
    time::Duration,
};

use hooks_tests::{postgres::Postgres, redis::Redis};

fn connect(port: u16) -> TcpStream {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
    let soon = Some(Duration::from_millis(200));
    stream.set_read_timeout(soon).unwrap();
    stream
}

fn is_silent(stream: &mut TcpStream) -> bool {
    let read = stream.read(&mut [0; 64]);
    read.is_err_and(|error| matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut))
}

#[test]
fn a_redis_server_pauses_and_comes_back() {
    let Some(mut redis) = Redis::start() else {
        return;
    };
    let mut stream = connect(redis.port());
    redis.pause();
    stream.write_all(b"PING\r\n").unwrap();
    assert!(is_silent(&mut stream));
    redis.resume();
    stream.set_read_timeout(None).unwrap();
    let mut answer = [0; 7];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"+PONG\r\n");
    redis.pause();
    redis.kill();
    assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, redis.port())).is_err());
    redis.restart();
    connect(redis.port());
}

#[test]
fn a_postgres_server_comes_back() {
    let Some(mut postgres) = Postgres::start() else {
        return;
    };
    connect(postgres.port());
    postgres.pause();
    postgres.resume();
    postgres.kill();
    assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, postgres.port())).is_err());
    postgres.restart();
    connect(postgres.port());
}
