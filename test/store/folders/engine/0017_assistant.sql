INSERT INTO svc_assistant_conversations (Id, UserId, CompanyId, ApiKeyId, ImpersonatorId, Title, CreatedAt, UpdatedAt)
  VALUES ('c1', 1, 1, 901, 901, 'Notes', '2026-11-20T08:00:00.000Z', '2026-11-20T08:00:00.000Z');
INSERT INTO svc_assistant_messages (Id, ConversationId, Question, Object, Items, RightsHash, Provider, Tokens, Rating, Comment, CreatedAt)
  VALUES ('m1', 'c1', 'how many notes', 'notes', '[]', 'abababababababababababababababababababababababababababababababab', 'rules', 0, 1, 'right', '2026-11-20T08:00:00.000Z');
INSERT INTO svc_assistant_proposals (Id, UserId, CompanyId, ApiKeyId, ImpersonatorId, Kind, Request, CreatedAt, ExpiresAt, DoneAt, Result)
  VALUES ('p1', 1, 1, 901, 901, 'submit', '{}', '2026-11-20T08:00:00.000Z', '2999-01-01T00:00:00.000Z', '2026-11-20T09:00:00.000Z', '{}');
