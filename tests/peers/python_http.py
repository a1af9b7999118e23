"""The official Python SDK talks to three replicas behind a round-robin proxy, on both protocol generations.

Arguments: the proxy before memory-server, and the proxy before conformance-server.
"""

import json
import sys
from importlib.metadata import version

import anyio
from mcp import Client
from mcp_types import ElicitResult

GENERATIONS = {"legacy": "2025-11-25", "auto": "2026-07-28"}
CONTENT = "The harbour lamp needs whale oil"


def check(holds, complaint, seen):
    if not holds:
        raise AssertionError(f"{complaint}; seen: {json.dumps(seen, default=str)}")


def text(result):
    return "\n".join(block.text for block in result.content if block.type == "text")


async def register(client, session, tool, arguments):
    """A hook that is registered at one replica fires there: one call in as many as there are replicas."""
    content = "The peer registered this."
    hook = {
        "tag": "peer", "type": "action", "lifecycle": "end", "name": "Peer", "requirementLevel": "MAY",
        "tool": tool, "content": content,
    }
    registered = await client.call_tool("hooks_register", hook | session)
    check(not registered.is_error, "hooks_register failed", text(registered))
    seen = [text(await client.call_tool(tool, arguments | session)) for _ in range(6)]
    check(any(content in each for each in seen), "a hook that was registered did not fire", seen)


async def memory(url, mode, protocol):
    """A session that is opened at one replica goes on at the others, which ask the user and hear the answer."""
    asked, answers = [], []
    project = f"python, {protocol}"

    async def elicit(_, params):
        asked.append(params.message)
        return ElicitResult(**answers.pop())

    async with Client(f"{url}/mcp", mode=mode, read_timeout_seconds=20, elicitation_callback=elicit) as client:
        check(client.protocol_version == protocol, "another protocol was negotiated", client.protocol_version)

        async def call(name, **arguments):
            return await client.call_tool(name, {"project": project} | arguments)

        refused = await call("list_topics")
        directive = "You MUST call session_init first"
        check(refused.is_error and directive in text(refused), "a tool ran before session_init", text(refused))
        opened = await call("session_init")
        check(not opened.is_error, "session_init failed", text(opened))
        handle = (opened.meta or {}).get("hooks-sdk/session")
        check((handle is not None) == (protocol >= "2026-07-28"), "a handle is missing, or not needed", handle)
        session = {"session": handle} if handle else {}

        tools = {tool.name for tool in (await client.list_tools()).tools}
        check("store_memory" in tools, "tools/list lacks a tool", sorted(tools))
        for prompt in (await client.list_prompts()).prompts:
            if not any(argument.required for argument in prompt.arguments or []):
                check((await client.get_prompt(prompt.name)).messages, "a prompt is empty", prompt.name)

        if "hooks_register" in tools:
            await register(client, session, "list_topics", {"project": project})

        ids = set()
        for one in ("first", "second", "third"):
            stored = await call("store_memory", content=f"{CONTENT}, {one}", tags=[one], **session)
            check(not stored.is_error, "store_memory failed", text(stored))
            found = await call("search_memories", query=one, output="json", **session)
            ids |= {result["id"] for result in json.loads(text(found))["results"]}
        check(len(ids) == 3, "not each memory was found", sorted(ids))

        for confirmed in (False, True):
            answers.append({"action": "accept", "content": {"confirm": True}} if confirmed else {"action": "decline"})
            deleted = await call("delete_memory", memory_id=min(ids), **session)
            check(bool(deleted.is_error) != confirmed, f"delete_memory, confirmed: {confirmed}", text(deleted))
        check(len(asked) == 2, "the user was not asked twice", asked)


async def streams(url, mode, protocol):
    """Streams go through the proxy."""
    logs = []

    async def elicit(_, params):
        await anyio.sleep(0.2)
        return ElicitResult(action="accept", content={"username": "Ada", "email": "ada@example.org", "name": "Ada"})

    async def log(params):
        logs.append(params.data)

    async with Client(
        f"{url}/mcp", mode=mode, read_timeout_seconds=20, elicitation_callback=elicit, logging_callback=log
    ) as client:
        contents = (await client.read_resource("test://static-text")).contents
        check("static text resource" in contents[0].text, "a resource is wrong", contents[0].text)
        messages = (await client.get_prompt("test_simple_prompt")).messages
        check(len(messages) == 1, "a prompt is wrong", len(messages))

        handle = ((await client.call_tool("test_simple_text", {})).meta or {}).get("hooks-sdk/session")
        await register(client, {"session": handle} if handle else {}, "test_simple_text", {})

        progress = []

        async def heard(done, total, message):
            progress.append(done)

        await client.call_tool("test_tool_with_progress", {}, progress_callback=heard)
        check(progress == [0, 50, 100], "the progress is wrong", progress)

        asking = "test_elicitation" if protocol < "2026-07-28" else "test_input_required_result_elicitation"
        asked = await client.call_tool(asking, {"message": "Who are you?"})
        check("Ada" in text(asked), "the answer did not arrive", text(asked))
        if protocol >= "2026-07-28":
            return

        # The GET stream carries what its own replica says: one call in as many as there are replicas.
        for _ in range(6):
            await client.call_tool("test_tool_with_logging", {})
        with anyio.move_on_after(5):
            while len(logs) < 3:
                await anyio.sleep(0.1)
        check(len(logs) >= 3, "a notification did not arrive on the GET stream", logs)


async def main(memory_url, streams_url):
    for mode, protocol in GENERATIONS.items():
        for name, run in {
            "memory": lambda: memory(memory_url, mode, protocol),
            "streams": lambda: streams(streams_url, mode, protocol),
        }.items():
            try:
                await run()
            except Exception as error:
                while isinstance(error, ExceptionGroup):  # anyio wraps what its task groups pass on
                    error = error.exceptions[0]
                sys.exit(f"{protocol}, {name}: {type(error).__name__}: {' '.join(str(error).split())}")
    print(f"mcp {version('mcp')}: {' and '.join(GENERATIONS.values())} with three replicas")


anyio.run(main, *sys.argv[1:])
