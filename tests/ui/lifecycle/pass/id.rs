use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength = suggestion, text = "Hello.", id = "hello-2_u")]
struct Words;

#[lifecycle::hook(session_start, strength = suggestion, text = "Hello.")]
struct HTTPServer;

#[test]
fn is_accepted() {
    assert_eq!((Words::ID, HTTPServer::ID), ("hello-2_u", "http_server"));
}
