INSERT INTO svc_companies (Id, Code, Name, TimeZone, CreatedAt, Language)
  VALUES (902, 'DE', 'German', 'UTC', '2026-11-20T08:00:00.000Z', 'de');
INSERT INTO svc_users (Id, UserName, UserNameKey, DisplayName, PasswordHash, CreatedAt, ChangedAt, Language)
  VALUES (902, 'deutsch', 'deutsch', 'Deutsch', 'none', '2026-11-20T08:00:00.000Z', '2026-11-20T08:00:00.000Z', 'de');
