INSERT INTO svc_outbox (Id, At, Kind, UserId, CompanyId, Source, Entity, RecordKey, Payload, State, Attempts, DueAt, PartOf)
  VALUES (925, '2026-11-20T08:00:00.000Z', 'mail', 1, 1, 'effect', 'Note', '[7]', '{"To":"former@example.com"}', 'failed', 3, '2999-01-01T00:00:00.000Z', 901);
