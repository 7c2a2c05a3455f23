INSERT INTO svc_assistant_tokens (Day, UserId, Tokens)
  VALUES ('2026-11-20', 1, 12);
