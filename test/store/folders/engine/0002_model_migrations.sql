INSERT INTO svc_migrations (Name, Hash, At)
  VALUES ('Former', 'abababababababababababababababababababababababababababababababab', '2026-11-20T08:00:00.000Z');
INSERT INTO svc_former_keys (Entity, RecordKey, FormerEntity, FormerKey, AuditId)
  VALUES ('Note', '[7]', 'Slip', '["a"]', 1);
