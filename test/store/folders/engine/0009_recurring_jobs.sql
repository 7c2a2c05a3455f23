INSERT INTO svc_jobs (UserId, CompanyId, Language, Source, Arguments, CreatedAt, History, AttemptsMax, Attempts, Queue, Priority, Name, ImpersonatorId, Id, State)
  VALUES (1, 1, 'de', 'svc/exports', '{"Object":"notes"}', '2026-11-20T08:00:00.000Z', '[{"State":"Enqueued","At":"2026-11-20T08:00:00.000Z"}]', 10, 1, 'default', 0, 'No such job any more', 901, 902, 'Failed');
INSERT INTO svc_recurring (Name, Cron, TimeZone, Paused, NextRun, LastRun, LastJobId)
  VALUES ('former', '0 3 * * *', 'UTC', 1, '2999-01-01T00:00:00.000Z', '2026-11-20T08:00:00.000Z', 901);
