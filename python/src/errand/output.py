"""`output`: what the extracted data should look like, as a class or as a JSON Schema."""

from __future__ import annotations

import dataclasses
import enum
import types
from dataclasses import dataclass
from typing import (
    Annotated,
    Any,
    Callable,
    Generic,
    Literal,
    Mapping,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

T = TypeVar("T")

SCALARS: dict[object, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


@dataclass(frozen=True)
class Output(Generic[T]):
    """The schema to send, and how to read the data that comes back."""

    schema: Mapping[str, Any] | None
    read: Callable[[Any], T]


def make_output(output: Any) -> Output[Any]:
    """From a Pydantic model or TypeAdapter, a dataclass, a TypedDict, another type, a JSON Schema or None."""
    if output is None or isinstance(output, Mapping):
        return Output(output, lambda extracted: extracted)
    # Pydantic is recognized by its methods, so that it need not be installed.
    if hasattr(output, "model_json_schema") and hasattr(output, "model_validate"):
        return Output(output.model_json_schema(), output.model_validate)
    if hasattr(output, "json_schema") and hasattr(output, "validate_python"):
        return Output(output.json_schema(), output.validate_python)
    return Output(schema_of(output, ()), lambda extracted: read_as(output, extracted))


def schema_of(kind: Any, parents: tuple[Any, ...]) -> dict[str, Any]:
    if kind in SCALARS:
        return {"type": SCALARS[kind]}
    if kind in (None, type(None)):
        return {"type": "null"}
    if kind is Any:
        return {}
    if dataclasses.is_dataclass(kind) or is_typeddict(kind):
        return object_schema(kind, parents)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return {"enum": [member.value for member in kind]}
    return generic_schema(kind, parents)


def generic_schema(kind: Any, parents: tuple[Any, ...]) -> dict[str, Any]:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        descriptions = [note for note in arguments[1:] if isinstance(note, str)]
        return {**schema_of(arguments[0], parents), **({"description": descriptions[0]} if descriptions else {})}
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of(argument, parents) for argument in arguments]}
    if origin is list:
        return {"type": "array", "items": schema_of(arguments[0], parents)}
    if origin is dict and arguments[0] is str:
        return {"type": "object", "additionalProperties": schema_of(arguments[1], parents)}
    raise TypeError(
        f"`output` cannot contain {kind!r}. Use a dataclass, a TypedDict, str, int, float, bool, None, list, dict[str, …], "
        "Literal, Enum, Optional or Union; a Pydantic model; or pass a JSON Schema as a dict."
    )


def object_schema(kind: Any, parents: tuple[Any, ...]) -> dict[str, Any]:
    if kind in parents:
        raise TypeError(f"`output` cannot contain {kind.__name__} within itself. Use a Pydantic model or a JSON Schema.")
    hints = get_type_hints(kind, include_extras=True)
    if is_typeddict(kind):
        required = [name for name in hints if name in kind.__required_keys__]
        hints = {name: without_qualifier(hint) for name, hint in hints.items()}
    else:
        fields = dataclasses.fields(kind)
        hints = {field.name: hints[field.name] for field in fields}
        required = [field.name for field in fields if not has_default(field)]
    properties = {name: schema_of(hint, (*parents, kind)) for name, hint in hints.items()}
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def without_qualifier(hint: Any) -> Any:
    """`NotRequired[T]` and `Required[T]` as T, also those of typing_extensions."""
    name = getattr(get_origin(hint), "_name", None)
    return get_args(hint)[0] if name in ("Required", "NotRequired", "ReadOnly") else hint


def has_default(field: dataclasses.Field[Any]) -> bool:
    return field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING


def read_as(kind: Any, data: Any) -> Any:
    """Makes dataclasses and enums of plain JSON, which the service has already checked against the schema."""
    if dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind, include_extras=True)
        if not isinstance(data, dict):
            raise TypeError(f"expected an object, not {data!r}")
        return kind(**{name: read_as(hints[name], value) for name, value in data.items()})  # type: ignore[operator]
    if is_typeddict(kind):
        hints = get_type_hints(kind, include_extras=True)
        return {name: read_as(without_qualifier(hints[name]), value) for name, value in data.items()}
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return kind(data)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return read_as(arguments[0], data)
    if origin is list:
        return [read_as(arguments[0], item) for item in data]
    if origin is dict:
        return {name: read_as(arguments[1], value) for name, value in data.items()}
    if origin in (Union, types.UnionType):
        return read_union(arguments, data)
    return float(data) if kind is float and isinstance(data, int) else data


def read_union(kinds: tuple[Any, ...], data: Any) -> Any:
    """As the first kind that fits."""
    for kind in kinds:
        if fits(kind, data):
            return read_as(kind, data)
    raise TypeError(f"expected one of {kinds!r}, not {data!r}")


def fits(kind: Any, data: Any) -> bool:
    if dataclasses.is_dataclass(kind):
        names = {field.name for field in dataclasses.fields(kind)}
        required = {field.name for field in dataclasses.fields(kind) if not has_default(field)}
        return isinstance(data, dict) and required <= data.keys() <= names
    if is_typeddict(kind):
        return isinstance(data, dict) and kind.__required_keys__ <= data.keys() <= get_type_hints(kind).keys()
    if kind in (None, type(None)):
        return data is None
    if kind in SCALARS:
        accepted = (int, float) if kind is float else kind
        return isinstance(data, accepted) and (kind is bool or not isinstance(data, bool))
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return any(member.value == data for member in kind)
    origin = get_origin(kind)
    if origin is Annotated:
        return fits(get_args(kind)[0], data)
    if origin is Literal:
        return data in get_args(kind)
    return not isinstance(origin, type) or isinstance(data, origin)
