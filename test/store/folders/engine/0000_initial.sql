INSERT INTO svc_companies (Id, Code, Name, TimeZone, Active, CreatedAt)
  VALUES (901, 'OLD', 'Old', 'Europe/Berlin', 1, '2026-11-20T08:00:00.000Z');
INSERT INTO svc_users (Id, UserName, UserNameKey, DisplayName, Email, PasswordHash, MustChangePassword, Active, TimeZone, LastCompanyId, CreatedAt, ChangedAt)
  VALUES (901, 'Früher', 'früher', 'Früher Da', 'former@example.com', 'none', 1, 1, 'Asia/Tokyo', 1, '2026-11-20T08:00:00.000Z', '2026-11-20T09:00:00.000Z');
INSERT INTO svc_user_attributes (UserId, Name, Value)
  VALUES (901, 'Region', 'north');
INSERT INTO svc_user_companies (UserId, CompanyId)
  VALUES (901, 901);
INSERT INTO svc_user_roles (Id, UserId, Role, CompanyId)
  VALUES (901, 901, 'Clerk', 901);
INSERT INTO svc_facts (Name, Value)
  VALUES ('earlier', 'yes');
INSERT INTO svc_scripts (Id, Type, Name, FileName, Body, VersionHash, Document, IsCurrent, ExecutedAt, Origin)
  VALUES (901, 'Report', 'Former', 'former.xml', '<Report Name="Former"/>', 'abababababababababababababababab', '{"name":"Report","attributes":{"Name":"Former"},"children":[],"text":""}', 0, '2026-11-20T08:00:00.000Z', 'deploy');
INSERT INTO svc_facts (Name, Value) VALUES ('AuditHead', '1:41539ea3bda12e2f8c10d766568df0bbb3376bd1a33ac4a53ca5bbe4b202584f');
INSERT INTO svc_audit (Id, At, UserId, CompanyId, ImpersonatorId, Source, TraceId, Entity, RecordKey, Action, Changes, Hash)
  VALUES (1, '2026-11-20T08:00:00.000Z', 1, 1, 901, 'submit', '4bf92f3577b34da6a3ce929d0e0e4736', 'Note', '[7]', 'update', '{"Text":["a","b"]}', '41539ea3bda12e2f8c10d766568df0bbb3376bd1a33ac4a53ca5bbe4b202584f');
INSERT INTO svc_keys (Kid, Use, PublicJwk, PrivateJwk, CreatedAt, RetiredAt, IsCurrent)
  SELECT 'former', Use, PublicJwk, PrivateJwk, '2020-01-01T00:00:00.000Z', '2020-02-01T00:00:00.000Z', 0
  FROM svc_keys WHERE IsCurrent;
INSERT INTO svc_reservations (Name, Period, Number, Text, Day, ExpiresAt, UserId, CompanyId)
  VALUES ('Notes', '2026', 3, 'N-3', '2026-11-20', '2999-01-01T00:00:00.000Z', 1, 1);
INSERT INTO svc_sequences (Name, CompanyId, Period, Last)
  VALUES ('Notes', 1, '2026', 41);
INSERT INTO svc_stamps (Entity, RecordKey, Stamp, Fields, UserId, At)
  VALUES ('Note', '[7]', 2, '["Text"]', 1, '2026-11-20T08:00:00.000Z');
INSERT INTO svc_outbox (Id, At, Kind, UserId, CompanyId, Source, Entity, RecordKey, Payload, State, Attempts, DueAt)
  VALUES (901, '2026-11-20T08:00:00.000Z', 'mail', 1, 1, 'effect', 'Note', '[7]', '{"To":"former@example.com"}', 'failed', 3, '2999-01-01T00:00:00.000Z');
INSERT INTO svc_mfa (UserId, Secret, CreatedAt, ConfirmedAt, LastStep)
  VALUES (901, 'sealed', '2026-11-20T08:00:00.000Z', '2026-11-20T09:00:00.000Z', 5);
INSERT INTO svc_recovery_codes (Hash, UserId, UsedAt)
  VALUES ('abababababababababababababababababababababababababababababababab', 901, '2026-11-20T09:00:00.000Z');
INSERT INTO svc_idempotency (UserId, CompanyId, Key, Route, RequestHash, Status, Body, CreatedAt, ExpiresAt)
  VALUES (1, 1, 'first', 'POST /svc/object/submit', 'abababababababababababababababababababababababababababababababab', 200, '{}', '2026-11-20T08:00:00.000Z', '2999-01-01T00:00:00.000Z');
INSERT INTO svc_import_rows (Row, RowKey, Before, After)
  VALUES (901000001, '[7]', '{"Text":"a"}', '{}');
INSERT INTO svc_imports (Id, UserId, CompanyId, ViewName, Entity, FileName, Mode, Inserted, Updated, At, UndoneAt, ExpiresAt)
  VALUES (901, 1, 1, 'Notes', 'Note', 'notes.csv', 'upsert', 1, 2, '2026-11-20T08:00:00.000Z', '2026-11-20T09:00:00.000Z', '2999-01-01T00:00:00.000Z');
INSERT INTO svc_files (Path, Entity, RecordKey, Field, CompanyId, FileName, ContentType, Size, Sha256, CreatedAt, CreatedBy)
  VALUES ('ab/cd', 'Note', '[7]', 'File', 1, 'a.txt', 'text/plain', 1, 'abababababababababababababababababababababababababababababababab', '2026-11-20T08:00:00.000Z', 1);
INSERT INTO svc_uploads (Key, UserId, CompanyId, Entity, Field, FileName, ContentType, Size, Sha256, CreatedAt, ExpiresAt)
  VALUES ('ab/ef', 1, 1, 'Note', 'File', 'b.txt', 'text/plain', 1, 'abababababababababababababababababababababababababababababababab', '2026-11-20T08:00:00.000Z', '2999-01-01T00:00:00.000Z');
