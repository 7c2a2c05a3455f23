INSERT INTO svc_scripts (Id, Type, Name, FileName, Body, VersionHash, Document, IsCurrent, ExecutedAt, Origin, DocumentId, Notes)
  VALUES (902, 'Report', 'Noted', 'noted.xml', '<Report Name="Noted"/>', 'abababababababababababababababab', '{"name":"Report","attributes":{"Name":"Noted"},"children":[],"text":""}', 0, '2026-11-20T08:00:00.000Z', 'designer', 901, 'second try');
INSERT INTO svc_drafts (DocumentId, Body, Notes, BaseId, SavedAt, SavedBy)
  VALUES (901, '<Report', 'n', 901, '2026-11-20T08:00:00.000Z', 1);
