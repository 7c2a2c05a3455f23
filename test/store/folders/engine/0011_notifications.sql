INSERT INTO svc_notification_digests (UserId, CompanyId, LastId)
  VALUES (901, 1, 7);
INSERT INTO svc_notification_preferences (UserId, Kind, Hub, Push, Mail, Digest)
  VALUES (901, 'task', 1, 0, 1, 1);
INSERT INTO svc_notifications (Id, UserId, CompanyId, Kind, Title, Body, Level, Object, Entity, RecordKey, Url, FromUserId, CreatedAt, ReadAt)
  VALUES (901, 901, 1, 'record', 'A note', 'is new', 'Info', 'notes', 'Note', '[7]', '/notes/7', 1, '2026-11-20T08:00:00.000Z', '2026-11-20T09:00:00.000Z');
