INSERT INTO svc_idempotency (UserId, CompanyId, Key, Route, RequestHash, Status, Body, CreatedAt, ExpiresAt, Gates)
  VALUES (1, 1, 'gated', 'POST /svc/object/submit', 'abababababababababababababababababababababababababababababababab', 200, '{}', '2026-11-20T08:00:00.000Z', '2999-01-01T00:00:00.000Z', '[["Notes","Update"]]');
