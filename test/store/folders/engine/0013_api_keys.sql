INSERT INTO svc_outbox (Id, At, Kind, Source, Payload, State, Attempts, ApiKeyId)
  VALUES (902, '2026-11-20T08:00:00.000Z', 'mail', 'effect', '{}', 'failed', 1, 901);
INSERT INTO svc_jobs (UserId, CompanyId, Language, Source, Arguments, CreatedAt, History, AttemptsMax, Attempts, Queue, Priority, Name, Id, State, ApiKeyId)
  VALUES (1, 1, 'de', 'svc/exports', '{"Object":"notes"}', '2026-11-20T08:00:00.000Z', '[{"State":"Enqueued","At":"2026-11-20T08:00:00.000Z"}]', 10, 1, 'default', 0, 'No such job any more', 903, 'Deleted', 901);
INSERT INTO svc_api_keys (Id, UserId, Name, KeyHash, Roles, Companies, CreatedAt, CreatedBy, ExpiresAt, RevokedAt)
  VALUES (901, 1, 'till', 'abababababababababababababababababababababababababababababababab', '["System"]', '[1]', '2026-11-20T08:00:00.000Z', 1, '2999-01-01T00:00:00.000Z', '2026-11-20T09:00:00.000Z');
