/** Home companies of users `u`, for statements over svc_users. */

/** SQL of a user's home: the company that they were in last, else their first. */
export const HOME = `coalesce(
  (SELECT m.CompanyId FROM main.svc_user_companies m
    WHERE m.UserId = u.Id AND m.CompanyId = u.LastCompanyId),
  (SELECT min(m.CompanyId) FROM main.svc_user_companies m WHERE m.UserId = u.Id))`
