"""`output`: which schema is sent, and what becomes of the data."""

import enum
import unittest
from dataclasses import dataclass, field
from typing import Annotated, Any, Dict, List, Literal, Optional, TypedDict, Union

from errand.output import make_output

try:
    import pydantic
except ImportError:
    pydantic = None


class Size(enum.Enum):
    SMALL = "small"
    LARGE = "large"


@dataclass
class Price:
    amount: float
    currency: Literal["EUR", "USD"]


@dataclass
class Product:
    name: Annotated[str, "As the page calls it"]
    price: Price
    in_stock: bool
    rating: Optional[float] = None
    sizes: List[Size] = field(default_factory=list)


class Row(TypedDict, total=False):
    count: int
    labels: Dict[str, str]


class Node(TypedDict):
    children: "list[Node]"


class OutputTest(unittest.TestCase):
    def test_a_json_schema_is_sent_as_it_is(self):
        schema = {"type": "object"}
        output = make_output(schema)
        self.assertIs(output.schema, schema)
        self.assertEqual(output.read({"a": 1}), {"a": 1})

    def test_nothing_is_sent_without_output(self):
        self.assertIsNone(make_output(None).schema)

    def test_a_dataclass_becomes_a_schema_and_an_instance(self):
        output = make_output(Product)
        self.assertEqual(
            output.schema,
            {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "description": "As the page calls it"},
                    "price": {
                        "type": "object",
                        "properties": {"amount": {"type": "number"}, "currency": {"enum": ["EUR", "USD"]}},
                        "required": ["amount", "currency"],
                        "additionalProperties": False,
                    },
                    "in_stock": {"type": "boolean"},
                    "rating": {"anyOf": [{"type": "number"}, {"type": "null"}]},
                    "sizes": {"type": "array", "items": {"enum": ["small", "large"]}},
                },
                "required": ["name", "price", "in_stock"],
                "additionalProperties": False,
            },
        )
        data = {"name": "Mug", "price": {"amount": 16, "currency": "EUR"}, "in_stock": True, "sizes": ["small"]}
        self.assertEqual(output.read(data), Product("Mug", Price(16.0, "EUR"), True, None, [Size.SMALL]))

    def test_a_typed_dict_stays_a_dictionary(self):
        output = make_output(Row)
        self.assertEqual(output.schema["required"], [])
        self.assertEqual(output.schema["properties"]["labels"]["additionalProperties"], {"type": "string"})
        self.assertEqual(output.read({"count": 1}), {"count": 1})

    def test_lists_and_unions_are_read_as_what_fits(self):
        self.assertEqual(make_output(List[Price]).read([{"amount": 1, "currency": "USD"}]), [Price(1.0, "USD")])
        either = make_output(Union[Price, str, int, None])
        self.assertEqual(either.read({"amount": 1, "currency": "USD"}), Price(1.0, "USD"))
        self.assertEqual([either.read(data) for data in ("a", 2, None)], ["a", 2, None])
        with self.assertRaises(TypeError):
            either.read({"other": True})

    def test_anything_is_any(self):
        self.assertEqual(make_output(List[Any]).schema, {"type": "array", "items": {}})

    def test_what_has_no_schema_is_named(self):
        with self.assertRaisesRegex(TypeError, "cannot contain <class 'bytes'>"):
            make_output(List[bytes])
        with self.assertRaisesRegex(TypeError, "Node within itself"):
            make_output(Node)

    @unittest.skipIf(pydantic is None, "Pydantic is not installed")
    def test_pydantic_models_and_adapters_are_used_as_they_are(self):
        class Item(pydantic.BaseModel):
            price: float = pydantic.Field(gt=0)

        class Items(pydantic.BaseModel):
            items: List[Item]

        output = make_output(Items)
        self.assertEqual(output.schema, Items.model_json_schema())
        self.assertEqual(output.read({"items": [{"price": 1}]}), Items(items=[Item(price=1)]))
        with self.assertRaises(pydantic.ValidationError):
            output.read({"items": [{"price": -1}]})
        adapter = make_output(pydantic.TypeAdapter(List[Item]))
        self.assertEqual(adapter.schema["type"], "array")
        self.assertEqual(adapter.read([{"price": 2}]), [Item(price=2)])


if __name__ == "__main__":
    unittest.main()
