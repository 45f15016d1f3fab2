"""The study of time and error on four networks: by users, drop-outs and deadlines."""

EXPERIMENTS = {  # name: module and record, which is imported when it is used
    "completion": "scenarios.completion.users:EXPERIMENT",
    "completion_drop": "scenarios.completion.drop:EXPERIMENT",
    "completion_deadline": "scenarios.completion.deadline:EXPERIMENT",
}
