INSERT INTO svc_workflow_instances (Id, Workflow, VersionHash, Entity, RecordKey, CompanyId, State, Status, Version, Entry, EnteredAt, StartedBy, StartedAt, EndedAt)
  VALUES (901, 'Approval', 'abababababababababababababababababababababababababababababababab', 'Note', '[7]', 1, 'Approved', 'Completed', 3, 2, '2026-11-20T08:00:00.000Z', 1, '2026-11-20T08:00:00.000Z', '2026-11-20T09:00:00.000Z');
INSERT INTO svc_workflow_branches (Id, InstanceId, ParentId, State, Entry, EnteredAt)
  VALUES (901, 901, 900, 'Waits', 1, '2026-11-20T08:00:00.000Z');
INSERT INTO svc_workflow_tasks (Id, InstanceId, BranchId, Entry, CompanyId, Workflow, State, Status, ClaimedBy, ExceptUserId, DueAt, CreatedAt, EndedAt, EscalatedAt)
  VALUES (901, 901, 901, 1, 1, 'Approval', 'Waits', 'Completed', 901, 1, '2999-01-01T00:00:00.000Z', '2026-11-20T08:00:00.000Z', '2026-11-20T09:00:00.000Z', '2026-11-20T09:00:00.000Z');
INSERT INTO svc_workflow_assignees (Id, TaskId, UserId, Role, Due, IsOpen, CompanyId, FromUserId)
  VALUES (901, 901, 901, 'Clerk', '2999-01-01T00:00:00.000Z', 0, 1, 1);
INSERT INTO svc_workflow_delegations (UserId, CompanyId, ToUserId, FromAt, UntilAt, Comment)
  VALUES (901, 1, 1, '2026-11-20T08:00:00.000Z', '2999-01-01T00:00:00.000Z', 'away');
INSERT INTO svc_workflow_history (Id, InstanceId, BranchId, At, UserId, ImpersonatorId, ForUserId, Action, FromState, ToState, Since, Comment, VersionHash)
  VALUES (901, 901, 901, '2026-11-20T08:00:00.000Z', 901, 901, 1, 'Approve', 'Waits', 'Approved', '2026-11-20T08:00:00.000Z', 'fine', 'abababababababababababababababababababababababababababababababab');
INSERT INTO svc_workflow_links (TokenHash, TaskId, UserId, Action, ExpiresAt)
  VALUES ('abababababababababababababababababababababababababababababababab', 901, 901, 'Approve', '2999-01-01T00:00:00.000Z');
INSERT INTO svc_workflow_votes (TaskId, UserId, ForUserId, Action, At)
  VALUES (901, 901, 1, 'Approve', '2026-11-20T08:00:00.000Z');
