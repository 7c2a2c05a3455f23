INSERT INTO svc_search_feed (Id, Scope, RecordKey)
  VALUES (901, 901, '[7]');
