INSERT INTO svc_strays (Path, Since)
  VALUES ('ab/stray', '2026-11-20T08:00:00.000Z');
