INSERT INTO svc_imports (Id, UserId, CompanyId, ViewName, Entity, FileName, Mode, Inserted, Updated, At, ExpiresAt, IsTakeover)
  VALUES (902, 1, 1, 'Notes', 'Note', 'history.csv', 'insert', 1, 0, '2026-11-20T08:00:00.000Z', '2999-01-01T00:00:00.000Z', 1);
