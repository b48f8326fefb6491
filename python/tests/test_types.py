"""The generated types, and that the errors keep up with them."""

import typing
import unittest

from errand import _api, types
from errand.errors import BY_CODE

#: Codes that no call of this package gets, or that an application cannot do anything about: they are `ApiError`.
WITHOUT_CLASS = {
    "ALREADY_CLAIMED",
    "HEADERS_TOO_LARGE",
    "METHOD_NOT_ALLOWED",
    "RECIPE_CHANGED",
    "RECIPE_EXISTS",
    "RECIPE_NOT_POSSIBLE",
    "REQUEST_TIMEOUT",
    "SECRET_JUST_ROTATED",
    "UNSUPPORTED_MEDIA_TYPE",
    "URI_TOO_LONG",
}


class TypesTest(unittest.TestCase):
    def test_every_name_in_the_types_exists(self):
        objects = [one for one in vars(_api).values() if typing.is_typeddict(one)]
        self.assertGreater(len(objects), 50)
        for one in objects:
            typing.get_type_hints(one)

    def test_unions_are_told_apart_by_one_field(self):
        for union, field in ((types.Execution, "status"), (types.ExecutionEvent, "type"), (types.WebhookMessage, "type")):
            members = [typing.get_type_hints(vars(_api)[one.__forward_arg__]) for one in typing.get_args(union)]
            values = [value for member in members for value in typing.get_args(member[field])]
            self.assertGreater(len(values), 1)
            self.assertEqual(len(values), len(set(values)), values)

    def test_every_error_code_has_a_class_or_a_reason_to_have_none(self):
        codes = set(typing.get_args(typing.get_type_hints(_api.ErrorError)["code"]))
        self.assertEqual(codes - WITHOUT_CLASS, set(BY_CODE))
        self.assertEqual(WITHOUT_CLASS - codes, set())


if __name__ == "__main__":
    unittest.main()
