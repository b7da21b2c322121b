"""Holds receive.py to the test vectors: python3 -m unittest"""

import email.message
import json
import pathlib
import unittest

import receive

VECTORS = pathlib.Path(__file__).parents[2] / "sdk/test/vectors/signatures.json"


class Vectors(unittest.TestCase):
    def test_each(self):
        vectors = json.loads(VECTORS.read_text(encoding="utf-8"))
        self.assertGreater(len(vectors), 20)
        for vector in vectors:
            with self.subTest(vector["name"]):
                self.assertEqual(self.result(vector), vector["expect"])

    def test_repeated_header(self):
        vector = json.loads(VECTORS.read_text(encoding="utf-8"))[0]
        vector["headers"]["x-service-bot-api-timestamp"] = "1767225600"
        self.assertEqual(self.result(vector), "repeated-header")

    def result(self, vector):
        headers = email.message.Message()
        for name, value in vector["headers"].items():
            headers[name] = value
        try:
            receive.verify(headers, vector["body"].encode(), vector["secrets"], vector["now_seconds"])
        except receive.NotGenuine as reason:
            return str(reason)
        return "genuine"


if __name__ == "__main__":
    unittest.main()
