INSERT INTO svc_comments (Id, CompanyId, Entity, RecordKey, Object, AuthorId, ImpersonatorId, Text, Mentions, RowVersion, CreatedAt, ChangedAt)
  VALUES (940, 1, 'Note', '[1]', 'Notes', 1, 1, 'Seen', '[{"Id":1,"At":"2026-11-29T08:00:00.000Z"}]', 2, '2026-11-29T08:00:00.000Z', '2026-11-29T08:01:00.000Z');
INSERT INTO svc_followers (Entity, RecordKey, CompanyId, UserId) VALUES ('Note', '[1]', 1, 1);
