INSERT INTO svc_jobs (UserId, CompanyId, Language, Source, Arguments, CreatedAt, History, AttemptsMax, Attempts, Queue, Priority, Name, Id, State, DueAt)
  VALUES (1, 1, 'de', 'svc/exports', '{"Object":"notes"}', '2026-11-20T08:00:00.000Z', '[{"State":"Enqueued","At":"2026-11-20T08:00:00.000Z"}]', 10, 1, 'default', 0, 'No such job any more', 920, 'Held', '2999-01-01T00:00:00.000Z');
