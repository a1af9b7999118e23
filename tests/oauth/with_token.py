"""The official Python SDK with a token, and without one. Usage: with_token.py URL TOKEN_FILE"""

import asyncio
import pathlib
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def tools(url: str, headers: dict[str, str]) -> int:
    async with httpx2.AsyncClient(headers=headers) as http:
        async with Client(streamable_http_client(url, http_client=http)) as client:
            return len((await client.list_tools()).tools)


async def main(url: str, token: str) -> None:
    found = await tools(url, {"Authorization": f"Bearer {token}"})
    assert found > 0
    try:
        await tools(url, {})
    except BaseException as refused:
        assert "401" in repr(refused) or getattr(refused, "exceptions", None), refused
    else:
        raise AssertionError("a client without a token was let in")
    print(f"found {found} tools with a token, and none without")


asyncio.run(main(sys.argv[1], pathlib.Path(sys.argv[2]).read_text()))
