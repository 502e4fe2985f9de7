"""A function of your own, which an agent may call: its docstring and what stands beside its types are what models read."""

from typing import Annotated

import deskcrew


def exchange_rate(currency: Annotated[str, "A currency, like USD."]) -> float:
    """How many euros one unit of a currency is worth."""
    return {"USD": 0.92, "GBP": 1.17}[currency]


REPLIES = [
    {"operations": [{"function": "exchange_rate", "currency": "USD"}], "branch": "Continue"},
    {"operations": [{"function": "write_file", "file_path": "rate.txt", "text": "0.92"}], "branch": "RoleTaskFinish"},
]

if __name__ == "__main__":
    task, model = "Write the rate of the dollar into rate.txt.", deskcrew.ScriptedModel(REPLIES)
    result = deskcrew.run(task, actions=[exchange_rate], require="file_contains rate.txt 0.92", desktop="none", model=model)
    print(result)
