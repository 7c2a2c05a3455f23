INSERT INTO svc_devices (UserId, Fingerprint, FirstSeenAt, LastSeenAt)
  VALUES (901, 'abababababababababababababababababababababababababababababababab', '2026-11-20T08:00:00.000Z', '2026-11-20T09:00:00.000Z');
INSERT INTO svc_mfa_challenges (Hash, UserId, CompanyId, PasswordMark, CreatedAt, ExpiresAt, Failures, EndedAt)
  VALUES ('abababababababababababababababababababababababababababababababab', 901, 1, 'mark', '2026-11-20T08:00:00.000Z', '2999-01-01T00:00:00.000Z', 1, '2026-11-20T09:00:00.000Z');
INSERT INTO svc_password_resets (Hash, UserId, CreatedAt, ExpiresAt, UsedAt)
  VALUES ('abababababababababababababababababababababababababababababababab', 901, '2026-11-20T08:00:00.000Z', '2999-01-01T00:00:00.000Z', '2026-11-20T09:00:00.000Z');
INSERT INTO svc_sessions (Id, UserId, CompanyId, Client, Address, CreatedAt, LastUsedAt, ExpiresAt, EndedAt, EndedBecause, ImpersonatorId, ImpersonatorSessionId, ImpersonationReason)
  VALUES ('former', 901, 1, 'Firefox', '192.0.2.1', '2026-11-20T08:00:00.000Z', '2026-11-20T09:00:00.000Z', '2999-01-01T00:00:00.000Z', '2026-11-20T09:00:00.000Z', 'logout', 1, 'other', 'asked to');
INSERT INTO svc_refresh_tokens (Hash, SessionId, CreatedAt, ExpiresAt, UsedAt, ReplacedBy)
  VALUES ('abababababababababababababababababababababababababababababababab', 'former', '2026-11-20T08:00:00.000Z', '2999-01-01T00:00:00.000Z', '2026-11-20T09:00:00.000Z', 'cbcbcbcbcbcbcbcbcbcbcbcbcbcbcbcbcbcbcbcbcbcbcbcbcbcbcbcbcbcbcbcb');
INSERT INTO svc_throttles (Subject, WindowStart, Failures)
  VALUES ('name:former', '2026-11-20T08:00:00.000Z', 2);
INSERT INTO svc_exports (Name, UserId, CompanyId, ShownName, ContentType, Size, Sha256, CreatedAt, ExpiresAt)
  VALUES ('former.csv', 1, 1, 'Notes.csv', 'text/csv', 1, 'abababababababababababababababababababababababababababababababab', '2026-11-20T08:00:00.000Z', '2999-01-01T00:00:00.000Z');
