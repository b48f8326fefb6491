"""What an application does with the SDK: `python scenarios.py NAME blocking|asyncio JSON` prints one JSON object.

Each scenario is written once and runs with either client.
"""

import asyncio
import dataclasses
import hashlib
import inspect
import json
import os
import sys
from typing import Annotated

import errand


@dataclasses.dataclass
class Product:
    price: Annotated[float, "The price in euros"]


async def value(called):
    return await called if inspect.isawaitable(called) else called


async def items(iterator):
    if hasattr(iterator, "__aiter__"):
        return [item async for item in iterator]
    return list(iterator)


async def run(client, prompt, start_url):
    steps = []
    result = await value(client.executions.create_and_wait(prompt, start_url=start_url, on_step=steps.append))
    kept = await value(client.executions.evidence(result.id))
    artifact = kept["artifacts"][0]
    content = await value(client.artifacts.download(result.id, artifact["id"]))
    listed = await items(client.executions.list())
    return {
        "final_text": result.final_text,
        "agreed": result.evidence["verifier"]["agreed"],
        "steps": [step["data"] for step in steps],
        "is_intact": hashlib.sha256(content).hexdigest() == artifact["sha256"],
        "is_listed": result.id in [one["id"] for one in listed],
        "connection": await value(client.connection.get()),
        "again": (await value(client.executions.get(result.id)))["status"],
    }


async def extract(client, prompt, start_url):
    result = await value(client.executions.create_and_wait(prompt, start_url=start_url, output=Product))
    return {"class": type(result.extracted).__name__, "price": result.extracted.price}


async def fail(client, prompt, start_url):
    try:
        await value(client.executions.create_and_wait(prompt, start_url=start_url))
    except errand.ExecutionFailed as failed:
        kinds = sorted({artifact["kind"] for artifact in failed.artifacts})
        return {"terminal": failed.terminal, "error": failed.error, "evidence": failed.evidence, "artifacts": kinds}


async def follow(client, prompt, start_url):
    created = await value(client.executions.create(prompt, start_url=start_url))
    events = await items(client.executions.events(created["id"]))
    return {"ids": [event["id"] for event in events], "types": [event["type"] for event in events]}


async def read_often(client, times):
    return {"lists": [len(await items(client.executions.list(page_size=1))) for _ in range(times)]}


async def approve(client, prompt, start_url):
    asked = []

    def on_interaction(interaction):
        asked.append(interaction["message"])
        return {"action": "approve"}

    created = client.executions.create_and_wait
    result = await value(
        created(prompt, start_url=start_url, approval="commits", on_interaction=on_interaction)
    )
    return {"asked": asked, "side_effects": result.evidence["side_effects"]}


async def cancel(client, prompt, start_url):
    created = await value(client.executions.create(prompt, start_url=start_url))
    live = await value(client.executions.live(created["id"]))
    await value(client.executions.cancel(created["id"]))
    try:
        await value(client.executions.wait(created["id"]))
    except errand.ExecutionFailed as failed:
        return {"terminal": failed.terminal["status"], "live": live["url"]}


async def authorize(client, redirect_uri):
    return dataclasses.asdict(client.oauth.authorization_url(redirect_uri=redirect_uri))


async def exchange(client, callback_url, state, code_verifier, redirect_uri):
    token = await value(
        client.oauth.exchange(callback_url, state=state, code_verifier=code_verifier, redirect_uri=redirect_uri)
    )
    mine = client.with_access_token(token["access_token"])
    before = await items(mine.executions.list())
    await value(client.oauth.revoke(token["access_token"]))
    try:
        await items(mine.executions.list())
    except errand.Unauthenticated:
        return {"token_type": token["token_type"], "executions": len(before), "after": "Unauthenticated"}


async def verify(client, body, headers, secret):
    message = errand.webhooks.verify(body, headers, secret)
    try:
        errand.webhooks.verify(body + " ", headers, secret)
    except errand.WebhookVerificationFailed:
        return {"message": message, "changed": "refused"}


async def main(name, kind, arguments):
    scenario = globals()[name]
    given = [os.environ[name] for name in ("ERRAND_URL", "APPLICATION_ID", "ACCESS_TOKEN")]
    if kind == "blocking":
        return await scenario(errand.Errand(*given), **arguments)
    async with errand.AsyncErrand(*given) as client:
        return await scenario(client, **arguments)


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3])))))
