"""Runs one errand and prints its receipt.

    python run_errand.py "Search for kettle, open Brindle Kettle and tell me its price." --start-url http://127.0.0.1:4010/

It reads APPLICATION_ID, ACCESS_TOKEN and, if the service is not on this machine, ERRAND_URL from the environment.
"""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from errand import Errand, ErrandError, ErrandResult, ExecutionFailed
from errand.types import Answer, Interaction, SideEffect, StepEvent


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs one errand and prints its receipt.")
    parser.add_argument("prompt", help="the task in plain language")
    parser.add_argument("--start-url", help="where to start; default: the application's home page")
    parser.add_argument("--output-schema", type=Path, help="a file with the JSON Schema of the data to extract")
    parser.add_argument("--ask", action="store_true", help="ask before anything is bought, sent or deleted")
    arguments = parser.parse_args()
    try:
        result = make_client().executions.create_and_wait(
            arguments.prompt,
            start_url=arguments.start_url,
            output=json.loads(arguments.output_schema.read_text()) if arguments.output_schema else None,
            approval="commits" if arguments.ask else None,
            on_step=print_step,
            on_interaction=ask_person if sys.stdin.isatty() else None,
        )
    except ExecutionFailed as failed:
        print(f"Failed ({failed.terminal['status']}): {failed.error['message']}", file=sys.stderr)
        print_changes([] if failed.evidence is None else failed.evidence["side_effects"])
        return 1
    except (ErrandError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    print_receipt(result)
    return 0


def make_client() -> Errand:
    missing = [name for name in ("APPLICATION_ID", "ACCESS_TOKEN") if not os.environ.get(name)]
    if missing:
        raise ValueError(f"Set {' and '.join(missing)}: docs/python.md says where they come from.")
    url = os.environ.get("ERRAND_URL", "http://127.0.0.1:8787")
    return Errand(url, os.environ["APPLICATION_ID"], os.environ["ACCESS_TOKEN"])


def print_step(event: StepEvent) -> None:
    step = event["data"]
    print(f"{step['step']}. {step['why'] or step['action']}", flush=True)


def ask_person(interaction: Interaction) -> Answer:
    print(f"\n{interaction['message']}")
    if interaction["kind"] == "question":
        return {"action": "answer", "text": input("Answer: ")}
    return {"action": "approve" if input("Go on? [y/N] ").lower() == "y" else "decline"}


def print_receipt(result: ErrandResult[Any]) -> None:
    print(f"\nVerified: {result.final_text}")
    if result.extracted is not None:
        print(json.dumps(result.extracted, indent=2, ensure_ascii=False))
    print(f"Because: {result.evidence['verifier']['reason']}")
    print_changes(result.evidence["side_effects"])
    print(f"Page: {result.final_url}")
    print(f"Credits: {result.execution['usage']['credits']}")


def print_changes(side_effects: list[SideEffect]) -> None:
    described = [effect.get("description") or effect["type"] for effect in side_effects]
    print("Changes: " + (", ".join(described) or "none"))


if __name__ == "__main__":
    sys.exit(main())
