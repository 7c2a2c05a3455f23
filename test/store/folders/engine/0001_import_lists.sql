INSERT INTO svc_import_lists (Row, Entity, Before, After)
  VALUES (901000001, 'Note', '[[1]]', '[[2]]');
