"""The official Python SDK is asked questions by the hooks of policy-server, on both protocol generations."""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import ElicitResult

PLAN = json.loads(Path(__file__).with_name("questions.json").read_text())
GENERATIONS = {"legacy": "2025-11-25", "auto": "2026-07-28"}


def check(holds, complaint, seen):
    if not holds:
        raise AssertionError(f"{complaint}; seen: {json.dumps(seen)}")


def text(result):
    return "\n".join(block.text for block in result.content if block.type == "text")


def check_answer(case, result):
    violation = (result.meta or {}).get("hooks-sdk/violation")
    refused = violation and {"code": violation["code"], "details": violation["details"]}
    expected = case.get("violation")
    check(refused == expected, f"expected the violation {json.dumps(expected)}", violation or text(result))
    check(bool(result.is_error) == bool(expected), "isError is wrong", result.is_error)
    for words in case["says"]:
        check(words in text(result), f"the answer lacks `{words}`", text(result))


async def run(server, mode, protocol):
    asked, answers = [], []

    async def elicit(_, params):
        asked.append({"message": params.message, "fields": sorted(params.requested_schema["properties"])})
        return ElicitResult(**answers.pop())

    async with Client(
        stdio_client(server), mode=mode, read_timeout_seconds=20, elicitation_callback=elicit
    ) as client:
        check(client.protocol_version == protocol, "another protocol was negotiated", client.protocol_version)
        for case in PLAN["cases"]:
            asked.clear()
            answers[:] = [case["answer"]] if "answer" in case else []
            try:
                check_answer(case, await client.call_tool(case["tool"], case["arguments"]))
                expected = [case["asked"]] if "asked" in case else []
                check(asked == expected, f"expected the questions {json.dumps(expected)}", asked)
            except Exception as error:
                raise AssertionError(f"{case['name']}: {error}") from error
        runs = json.loads(text(await client.call_tool("runs", {})))
        check(runs == PLAN["runs"], f"expected the runs {json.dumps(PLAN['runs'])}", runs)

    async with Client(stdio_client(server), mode=mode, read_timeout_seconds=20) as client:
        case = PLAN["nobody_to_ask"]
        check_answer(case, await client.call_tool(case["tool"], case["arguments"]))


async def main(binary, _database):
    for mode, protocol in GENERATIONS.items():
        try:
            await run(StdioServerParameters(command=binary), mode, protocol)
        except Exception as error:
            while isinstance(error, ExceptionGroup):  # anyio wraps what its task groups pass on
                error = error.exceptions[0]
            sys.exit(f"{protocol}: {type(error).__name__}: {' '.join(str(error).split())}")
    print(f"mcp {version('mcp')}: {len(PLAN['cases'])} calls each on {' and '.join(GENERATIONS.values())}")


anyio.run(main, *sys.argv[1:])
