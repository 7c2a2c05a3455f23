INSERT INTO svc_webhooks (Id, CompanyId, UserId, Url, Events, Active, Secret, FormerSecret, FormerUntil, CreatedAt, ChangedAt, FailingSince, OffReason)
  VALUES (901, 1, 1, 'https://hooks.example.com/1', '["notes.created"]', 0, 'sealed', 'sealed too', '2999-01-01T00:00:00.000Z', '2026-11-20T08:00:00.000Z', '2026-11-20T09:00:00.000Z', '2026-11-20T08:00:00.000Z', 'failed');
INSERT INTO svc_webhook_deliveries (WebhookId, MessageId, Event, Object, Action, Keys, TraceId, At, State, Attempts, LastAt, LastStatus, LastError, JobId, Id, Body)
  VALUES (901, 'msg_1', 'notes.created', 'notes', 'created', '[7]', '4bf92f3577b34da6a3ce929d0e0e4736', '2026-11-20T08:00:00.000Z', 'Delivered', 1, '2026-11-20T09:00:00.000Z', 503, 'Busy', 901, 901, '{"Id":7}');
