/** The menu of the user: company, account, appearance, language, sign-out. */
import { language, LANGUAGES, say } from '../../texts/texts.ts'
import type { CallerUser } from '../../api/tokens.ts'
import { go } from '../../state/address.ts'
import { density, setDensity, setTheme, theme } from '../../state/appearance.ts'
import {
  chooseLanguage,
  companies,
  mayImpersonate,
  signOut,
  switchCompany,
} from '../../state/session.ts'
import { Menu, type MenuItem } from '../../parts/menu.tsx'
import { openDialog } from './frame-dialogs.tsx'

/** Items of which one holds, below their heading. */
const planChoices = <T extends string | number>(
  heading: string,
  choices: readonly { value: T; text: string }[],
  present: T,
  choose: (value: T) => void,
): MenuItem[] =>
  choices.map(({ value, text }, at) => ({
    text,
    isChecked: value === present,
    ...(at === 0 && { heading }),
    run: () => choose(value),
  }))

/** A choice of company, for those who have several. */
const planCompanies = ({ Company }: CallerUser): MenuItem[] =>
  companies.value.length < 2
    ? []
    : planChoices(
        say('company'),
        companies.value.map(({ Id, Name }) => ({ value: Id, text: Name })),
        Company.Id,
        (id) => void switchCompany(id),
      )

const planAppearance = (): MenuItem[] => [
  ...planChoices(
    say('theme'),
    [
      { value: 'system' as const, text: say('themeSystem') },
      { value: 'light' as const, text: say('themeLight') },
      { value: 'dark' as const, text: say('themeDark') },
    ],
    theme.value,
    setTheme,
  ),
  ...planChoices(
    say('density'),
    [
      { value: 'comfortable' as const, text: say('comfortable') },
      { value: 'compact' as const, text: say('compact') },
    ],
    density.value,
    setDensity,
  ),
  ...planChoices(
    say('language'),
    Object.entries(LANGUAGES).map(([value, text]) => ({ value, text })),
    language.value.split('-')[0] ?? '',
    (name) => void chooseLanguage(name),
  ),
]

const planItems = (user: CallerUser): MenuItem[] => [
  { text: say('account'), run: () => go('/account') },
  ...(mayImpersonate(user)
    ? [{ text: say('impersonate'), run: () => void openDialog('impersonation') }]
    : []),
  { text: say('keys'), run: () => void openDialog('keys') },
  { text: say('signOut'), run: () => void signOut() },
  ...planCompanies(user),
  ...planAppearance(),
]

/** The menu, under the user's name. */
export function UserMenu({ user }: { user: CallerUser }) {
  return <Menu label={user.DisplayName} narrowIcon="user" items={planItems(user)} />
}
