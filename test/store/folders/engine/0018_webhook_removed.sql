INSERT INTO svc_webhook_deliveries (WebhookId, MessageId, Event, Object, Action, Keys, TraceId, At, State, Attempts, LastAt, LastStatus, LastError, JobId, Id, Removed)
  VALUES (901, 'msg_2', 'notes.created', 'notes', 'created', '[7]', '4bf92f3577b34da6a3ce929d0e0e4736', '2026-11-20T08:00:00.000Z', 'Delivered', 1, '2026-11-20T09:00:00.000Z', 503, 'Busy', 901, 902, '{"Id":7}');
