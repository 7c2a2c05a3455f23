INSERT INTO svc_push_subscriptions (Id, UserId, SessionId, Endpoint, P256dh, Auth, Mark, CreatedAt, ExpiresAt, Failures, RestUntil)
  VALUES (901, 901, 'former', 'https://push.example.com/1', 'key', 'auth', 'mark', '2026-11-20T08:00:00.000Z', '2999-01-01T00:00:00.000Z', 1, '2026-11-20T09:00:00.000Z');
