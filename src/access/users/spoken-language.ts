/**
 * Language of mails to a user: their own, else the company's, else the setting's. The browser that
 * causes a mail may be another person's.
 */
import { validation } from '../../kernel/failure.ts'
import { isLanguageTag, LANGUAGE_TAG } from '../../kernel/languages.ts'
import { say } from '../../kernel/messages.ts'
import { text } from '../../kernel/setting.ts'
import type { Reader } from '../../store/store.ts'
import { HOME } from './home-company.ts'

export const LANGUAGE = text(
  'Svc:Language',
  'Language of answers where Accept-Language names none that there is, and of mails to those who ' +
    'have none of their own nor of their company, such as en',
  'en',
  { pattern: LANGUAGE_TAG, expected: 'a language tag like en or pt-BR' },
)

/** Throws 400 for a text that is not a language tag. */
export function requireLanguage(language: string | null | undefined): void {
  if (typeof language === 'string' && !isLanguageTag(language))
    throw validation({ Language: say`Must be a language tag, such as en or pt-BR` })
}

const OF_USER = `SELECT coalesce(u.Language, (SELECT c.Language FROM main.svc_companies c
  WHERE c.Id = coalesce(@company, ${HOME}))) AS Language
  FROM main.svc_users u WHERE u.Id = @user`

/**
 * The language of a user in a company, else in the one where they are at home; undefined where
 * neither has one.
 */
export async function findUserLanguage(
  reader: Reader,
  user: number,
  company: number | null,
): Promise<string | undefined> {
  const row = await reader.get<{ Language: string | null }>(OF_USER, { user, company })
  return row?.Language ?? undefined
}

/** The language of a company; undefined without one. */
export async function findCompanyLanguage(
  reader: Reader,
  company: number | null,
): Promise<string | undefined> {
  if (company === null) return undefined
  const sql = 'SELECT Language FROM main.svc_companies WHERE Id = @company'
  const row = await reader.get<{ Language: string | null }>(sql, { company })
  return row?.Language ?? undefined
}
