/** Where users `u` are at home, for statements over svc_users. */

/** Of a user's companies the one that they were in last, else the first. */
export const HOME = `coalesce(
  (SELECT m.CompanyId FROM main.svc_user_companies m
    WHERE m.UserId = u.Id AND m.CompanyId = u.LastCompanyId),
  (SELECT min(m.CompanyId) FROM main.svc_user_companies m WHERE m.UserId = u.Id))`
