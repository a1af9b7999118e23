"""The official Python SDK drives memory-server on both protocol generations and reads its hooks."""

import json
import sys
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CLIENT_CAPABILITIES_META_KEY

PLAN = json.loads(Path(__file__).with_name("sessions.json").read_text())
GENERATIONS = {"legacy": "2025-11-25", "auto": "2026-07-28"}
CONTENT = "The harbour lamp needs whale oil"


class Wire:
    """The SDK's stdio transport, with every frame in view.

    The SDK has neither a way to declare `hooks` or `experimental` nor a field for `capabilities.hooks` in
    the answer, so declarations are added to the frames going out and hooks are read from those coming in.
    """

    def __init__(self, server, capabilities):
        self.server, self.capabilities = server, capabilities
        self.sent, self.received = [], []

    def declare(self, message):
        params = getattr(message, "params", None) or {}
        if message.method == "initialize":
            params["capabilities"] = params["capabilities"] | self.capabilities
        elif CLIENT_CAPABILITIES_META_KEY in (meta := params.get("_meta", {})):
            meta[CLIENT_CAPABILITIES_META_KEY] = meta[CLIENT_CAPABILITIES_META_KEY] | self.capabilities

    @asynccontextmanager
    async def open(self):
        to_client, client_reads = anyio.create_memory_object_stream(0)
        client_writes, from_client = anyio.create_memory_object_stream(0)
        async with stdio_client(self.server) as (reads, writes), anyio.create_task_group() as pumps:

            async def inward():
                async with to_client:
                    async for item in reads:
                        if isinstance(item, Exception):
                            raise ValueError(f"stdout carries more than JSON-RPC: {item}")
                        self.received.append(item.message)
                        await to_client.send(item)

            async def outward():
                async for item in from_client:
                    self.declare(item.message)
                    self.sent.append(item.message)
                    await writes.send(item)

            pumps.start_soon(inward)
            pumps.start_soon(outward)
            yield client_reads, client_writes
            pumps.cancel_scope.cancel()

    def handshake(self):
        """The raw answer to `initialize` or `server/discover`, whichever was sent last."""
        asked = [m.id for m in self.sent if m.method in ("initialize", "server/discover")]
        return next(m.result for m in self.received if m.id == asked[-1])


def check(holds, complaint, seen):
    if not holds:
        raise AssertionError(f"{complaint}; seen: {json.dumps(seen)}")


def keys(value):
    """Every member name in a JSON value, at any depth."""
    if isinstance(value, dict):
        return set(value).union(*map(keys, value.values()))
    return set().union(*map(keys, value)) if isinstance(value, list) else set()


def fits(expected, value):
    """Whether a value is the expected one, where `true` stands for any text, and a list for one that has its words."""
    if expected is True:
        return isinstance(value, str) and value.strip() != ""
    if isinstance(expected, list):
        return isinstance(value, str) and all(word in value for word in expected)
    if isinstance(expected, dict):
        return isinstance(value, dict) and expected.keys() == value.keys() and all(
            fits(expected[key], value[key]) for key in expected
        )
    return expected == value


def check_place(place, hooks, events):
    """Exactly the planned declarations of `events`, in any order; nothing at all for None."""
    if events is None:
        return check(hooks is None, f"{place}: hooks were declared but not asked for", hooks)
    check(isinstance(hooks, dict) and list(hooks) == ["declarations"], f"{place}: expected declarations", hooks)
    planned = [one for one in PLAN["declarations"] if one["event"] in events]
    declared = hooks["declarations"]
    check(len(declared) == len(planned), f"{place}: expected {len(planned)} declarations for {events}", hooks)
    for expected in planned:
        found = [one for one in declared if fits(expected, one)]
        check(len(found) == 1, f"{place}: expected one declaration as {json.dumps(expected)}", hooks)


def text(result):
    return "\n".join(block.text for block in result.content if block.type == "text")


async def open_session(client, project, protocol):
    """Opens the session after a refusal; returns the arguments that name it in further calls."""
    refused = await client.call_tool("list_topics", {"project": project})
    directive = "You MUST call session_init first"
    check(refused.is_error and directive in text(refused), "a tool ran before session_init", text(refused))

    opened = await client.call_tool("session_init", {"project": project})
    check(not opened.is_error, "session_init failed", text(opened))
    handle = (opened.meta or {}).get("hooks-sdk/session")
    check((handle is not None) == (protocol >= "2026-07-28"), "a handle is missing, or not needed", handle)
    if handle is None:
        return {}
    check(opened.content[-1].text.startswith(f"session: {handle}\n"), "the last text is not the handle", text(opened))
    return {"session": handle}


async def use_tools(client, project, session, start_hook):
    names = {tool.name for tool in (await client.list_tools()).tools}
    check({"store_memory", "search_memories"} <= names, "tools/list lacks a tool", sorted(names))

    search = {"project": project, "query": "harbour lamp"} | session
    refused = await client.call_tool("search_memories", search | {"mode": "telepathy"})
    check(refused.is_error and "telepathy" in text(refused), "an unknown mode is no clear tool error", text(refused))

    memory = {"project": project, "content": CONTENT, "tags": ["lamp"]} | session
    stored = await client.call_tool("store_memory", memory)
    check(not stored.is_error, "store_memory failed", text(stored))
    for mode in ("probe", "summary", "full"):
        found = await client.call_tool("search_memories", search | {"mode": mode})
        check(not found.is_error and CONTENT in text(found), f"search in mode {mode} did not find it", text(found))
    found = await client.call_tool("search_memories", search | {"output": "json"})
    check(CONTENT in json.dumps(json.loads(text(found))["results"]), "the JSON search did not find it", text(found))

    if start_hook:
        arguments = json.loads(json.dumps(start_hook["context_tool_args"]).replace("{project_name}", project))
        answer = await client.call_tool(start_hook["context_tool"], arguments)
        check(not answer.is_error and text(answer), "the context tool of session_start failed", text(answer))


async def run(server, mode, protocol, session):
    wire = Wire(server, session["capabilities"])
    async with Client(wire.open(), mode=mode, read_timeout_seconds=20) as client:
        check(client.protocol_version == protocol, "another protocol was negotiated", client.protocol_version)
        check(client.instructions, "the server's instructions are missing", client.instructions)
        declared = "session_start" in session["answered"].get("experimental", [])
        told = "Call `session_init` before" in client.instructions
        check(told != declared, "the start's guidance is not told exactly once", client.instructions)
        capabilities = wire.handshake()["capabilities"]
        experimental = capabilities.get("experimental", {}).get("hooks")
        check_place("capabilities.hooks", capabilities.get("hooks"), session["answered"].get("hooks"))
        check_place("experimental.hooks", experimental, session["answered"].get("experimental"))
        typed = (client.server_capabilities.experimental or {}).get("hooks")
        check(typed == experimental, "the SDK's own view of experimental.hooks differs", typed)
        start = [one for one in (experimental or {}).get("declarations", []) if "context_tool" in one]
        project = f"{session['name']}, {protocol}"
        await use_tools(client, project, await open_session(client, project, protocol), start[0] if start else None)
    if not session["answered"]:
        seen = keys([message.model_dump(mode="json") for message in wire.received])
        check(not seen & {"hooks", "declarations"}, "hooks are named although nothing was declared", sorted(seen))


async def main(binary, database):
    server = StdioServerParameters(command=binary, args=["serve", "--database", database])
    for mode, protocol in GENERATIONS.items():
        for session in PLAN["sessions"]:
            try:
                await run(server, mode, protocol, session)
            except Exception as error:
                while isinstance(error, ExceptionGroup):  # anyio wraps what its task groups pass on
                    error = error.exceptions[0]
                sys.exit(f"{protocol}, {session['name']}: {type(error).__name__}: {' '.join(str(error).split())}")
    print(f"mcp {version('mcp')}: {len(PLAN['sessions'])} sessions each on {' and '.join(GENERATIONS.values())}")


anyio.run(main, *sys.argv[1:])
