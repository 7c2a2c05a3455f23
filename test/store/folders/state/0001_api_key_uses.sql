INSERT INTO svc_api_key_uses (KeyId, LastUsedAt)
  VALUES (901, '2026-11-20T08:00:00.000Z');
