INSERT INTO svc_search_views (Id, View, Definition, State)
  VALUES (901, 'Gone', '{}', 'Ready');
INSERT INTO svc_search_scopes (Id, ViewId, CompanyId)
  VALUES (901, 901, 1);
INSERT INTO svc_search_entries (Id, Scope, RecordKey, Hash)
  VALUES (901, 901, '[7]', 'abababababababababababababababababababababababababababababababab');
INSERT INTO svc_search (rowid, c0)
  VALUES (901, 'former words');
INSERT INTO svc_search_work (Id, ViewId, CompanyId, Kind, Keys, Done)
  VALUES (901, 901, 1, 'rows', '[[7]]', '[7]');
