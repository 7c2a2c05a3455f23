INSERT INTO svc_user_settings (UserId, Key, Bytes, Value) VALUES (1, 'density', 9, '"compact"');
INSERT INTO svc_saved_views (Id, CompanyId, Object, OwnerId, MakerId, Shared, Role, Name, Body, RowVersion, CreatedAt, ChangedAt)
  VALUES (930, 1, 'Notes', 1, 1, 'role', 'Clerk', 'Mine', '{"Kind":"grid","Columns":[]}', 1, '2026-11-29T08:00:00.000Z', '2026-11-29T08:00:00.000Z');
INSERT INTO svc_default_views (UserId, CompanyId, Object, ViewId) VALUES (1, 1, 'Notes', 930);
