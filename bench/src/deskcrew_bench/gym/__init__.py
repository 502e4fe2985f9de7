"""``gymnasium.make("deskcrew_bench.gym:Deskcrew-v0", tasks="bench/desk")``: desk tasks as a Gymnasium environment (F19, A9).

Importing this package registers it, as Gymnasium wants it.
"""

from gymnasium.envs.registration import EnvSpec, registry

registry["Deskcrew-v0"] = EnvSpec("Deskcrew-v0", entry_point="deskcrew_bench.gym.environment:DeskEnv")
