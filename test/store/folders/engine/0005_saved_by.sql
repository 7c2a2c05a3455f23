INSERT INTO svc_scripts (Id, Type, Name, FileName, Body, VersionHash, Document, IsCurrent, ExecutedAt, Origin, ExecutedBy)
  VALUES (903, 'Report', 'Saved', 'saved.xml', '<Report Name="Saved"/>', 'abababababababababababababababab', '{"name":"Report","attributes":{"Name":"Saved"},"children":[],"text":""}', 0, '2026-11-20T08:00:00.000Z', 'designer', 1);
