"""``gymnasium.make("Deskcrew-v0", tasks="bench/desk")``: desk tasks as a Gymnasium environment (F19, A9)."""


def register() -> None:
    """Called by Gymnasium when it is imported, as an entry point of ``gymnasium.envs``."""
    from gymnasium.envs.registration import EnvSpec, registry

    registry["Deskcrew-v0"] = EnvSpec("Deskcrew-v0", entry_point="deskcrew_bench.gym.environment:DeskEnv")
