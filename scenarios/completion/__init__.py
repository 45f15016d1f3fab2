"""Experiments on time: when protocols are done on four networks, without and with drop-outs."""

EXPERIMENTS = {  # name: module and record, which is imported when it is used
    "completion": "scenarios.completion.users:EXPERIMENT",
    "completion_drop": "scenarios.completion.drop:EXPERIMENT",
    "completion_deadline": "scenarios.completion.deadline:EXPERIMENT",
}
