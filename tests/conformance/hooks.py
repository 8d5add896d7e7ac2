"""Hooks of schemathesis for the rules that a JSON Schema cannot state."""

import re
from datetime import UTC, date, datetime, timedelta
from urllib.parse import unquote

from schemathesis import GenerationMode, hook

WORDS = re.compile("[A-Za-z0-9 ]*[A-Za-z0-9][A-Za-z0-9 ]*")


def storable(value):
    """Returns a JSON value with the numbers and names that DynamoDB can store."""
    if isinstance(value, dict):
        return {name or "a": storable(member) for name, member in value.items()}
    if isinstance(value, list):
        return [storable(element) for element in value]
    if isinstance(value, (int, float)) and value != 0 and not 1e-130 <= abs(value) <= 9.9e125:
        return 1
    if isinstance(value, int) and abs(value) >= 10**38:
        return 1
    return value


@hook
def before_call(context, case, kwargs):
    path = case.path_parameters or {}
    is_positive = case.meta is not None and case.meta.generation.mode is GenerationMode.POSITIVE
    # The examples of own operations name the caller. All callers try those of ada, who stays. Changed values are checked
    # again, against patterns that an encoded colon breaks.
    if "me" in path.values():
        for name, value in path.items():
            caller = "cara" if case.operation.label == "DELETE /users/{username}" else "ada"
            path[name] = caller if value == "me" else unquote(value) if is_positive else value
    if not is_positive:
        return
    # A cursor is valid only if the API made it.
    if case.query:
        case.query.pop("cursor", None)
    # A search needs a word, a tag or a type.
    if case.query and not WORDS.fullmatch(str(case.query.get("q", "a"))):
        case.query["q"] = "sunset"
    # DynamoDB limits the digits and the magnitude of numbers, and the schema leaves the elements of arrays open.
    if isinstance(case.body, dict):
        case.body = storable(case.body)
        # The schema of a body describes plain JSON, not the other format.
        if case.query and "format" in case.query:
            case.query["format"] = "json"
    # Each interest has a character that shows, which a pattern cannot say.
    if isinstance(case.body, dict) and case.body.get("interests"):
        case.body["interests"] = ["a" + interest[1:] for interest in case.body["interests"]]
    # Nobody is born in the future.
    if isinstance(case.body, dict) and str(case.body.get("birthdate") or "") > str(date.today()):
        case.body["birthdate"] = "1990-05-30"
    # A link ends in the future, within a year.
    if case.operation.path.endswith("/link") and isinstance(case.body, dict) and case.body.get("until"):
        case.body["until"] = (datetime.now(UTC) + timedelta(days=7)).strftime("%Y-%m-%dT%H:%M:%SZ")
    # A report is about a user, a photo, or a comment on a photo, and nobody can report themselves.
    if case.operation.path == "/reports" and isinstance(case.body, dict):
        callers = {None, "ada", "ben", "cara", "dora"}
        if case.body.get("comment"):
            case.body["photo"] = {"username": "nils", "id": "2024-05-30T15:42:38"}
            case.body["comment"] = "2024-06-02T18:05:41.250Z~nils"
        if photo := case.body.get("photo"):
            case.body.pop("username", None)
            photo["username"] = "nils" if photo["username"] in callers else photo["username"]
        elif case.body.get("username") in callers:
            case.body["username"] = "nils"
    # A file is announced by its size and its hash, or not at all.
    if case.operation.path == "/users/{username}/photos" and isinstance(case.body, dict):
        for name, value in [("bytes", 3), ("sha256", "0" * 64)]:
            if case.body.get("upload") != "put":
                case.body.pop(name, None)
            elif not case.body.get(name):
                case.body[name] = value
    path = case.path_parameters or {}
    # An escaped text is UTF-8 on one line, and not only spaces.
    for name in ["artist", "songTitle", "genre"]:
        if name in path:
            path[name] = "a" + re.sub("~..", "~20", path[name])
    # A hashtag has a letter, and neither a space nor a sign.
    if "tag" in path:
        path["tag"] = "a" + re.sub("~..|[^A-Za-z0-9_]", "", path["tag"])[:49]
    # Nobody can follow or block themselves.
    for name in ["follower", "other"]:
        if path.get(name) and path[name] == path["username"]:
            path[name] = "ben" if path["username"] == "ada" else "ada"
