/** Keys and commands of every place: the sheet, the palette, company, looks, language, sign-out. */
import { language, LANGUAGES, say } from '../../texts/texts.ts'
import type { CallerUser } from '../../api/tokens.ts'
import { describeFault } from '../../api/told-error.ts'
import { go } from '../../state/address.ts'
import { density, setDensity, setTheme, theme } from '../../state/appearance.ts'
import { holdShortcuts, type Shortcut } from '../../state/keys.ts'
import { notify } from '../../state/notices.ts'
import {
  chooseLanguage,
  companies,
  mayImpersonate,
  signOut,
  stopImpersonation,
  switchCompany,
} from '../../state/session.ts'
import { openJobs } from '../../parts/jobs/job-host.tsx'
import { openDialog } from './frame-dialogs.tsx'

const KEYS: readonly Shortcut[] = [
  {
    keys: ['Mod+k'],
    label: () => say('keyPalette'),
    where: 'everywhere',
    run: () => void openDialog('palette'),
  },
  {
    keys: ['?'],
    label: () => say('keySheet'),
    where: 'everywhere',
    run: () => void openDialog('keys'),
  },
  { keys: ['Escape'], label: () => say('keyClose'), where: 'everywhere' },
]

/** One value of a setting as a command: `Language: Deutsch`. */
const choice = (name: () => string, value: () => string, run: () => void): Shortcut =>
  command(() => `${name()}: ${value()}`, run)

const planLooks = (): Shortcut[] => [
  ...THEMES.filter((each) => each !== theme.value).map((each) =>
    choice(
      () => say('theme'),
      () => say(THEME_TEXTS[each]),
      () => setTheme(each),
    ),
  ),
  ...DENSITIES.filter((each) => each !== density.value).map((each) =>
    choice(
      () => say('density'),
      () => say(each),
      () => setDensity(each),
    ),
  ),
  ...Object.entries(LANGUAGES)
    .filter(([name]) => name !== language.value.split('-')[0])
    .map(([name, text]) =>
      choice(
        () => say('language'),
        () => text,
        () => void chooseLanguage(name),
      ),
    ),
]

const THEMES = ['system', 'light', 'dark'] as const
const DENSITIES = ['comfortable', 'compact'] as const
const THEME_TEXTS = { system: 'themeSystem', light: 'themeLight', dark: 'themeDark' } as const

const planCompanies = ({ Company }: CallerUser): Shortcut[] =>
  companies.value
    .filter(({ Id }) => Id !== Company.Id)
    .map(({ Id, Name }) =>
      choice(
        () => say('company'),
        () => Name,
        () => void switchCompany(Id),
      ),
    )

const command = (label: () => string, run: () => void): Shortcut => ({
  keys: [],
  label,
  where: 'everywhere',
  run,
})

/** Beginning and ending to act as another user. */
const planImpersonation = (user: CallerUser): Shortcut[] => [
  ...(user.Impersonator
    ? [command(() => `${say('stopImpersonating')}: ${user.DisplayName}`, stopActing)]
    : []),
  ...(mayImpersonate(user)
    ? [
        command(
          () => say('impersonate'),
          () => void openDialog('impersonation'),
        ),
      ]
    : []),
]

/** Ends to act as another user, and tells where the session of before has ended, too. */
export const stopActing = (): void =>
  void stopImpersonation().catch((thrown: unknown) => notify(describeFault(thrown), 'error'))

const planSession = (user: CallerUser): Shortcut[] => [
  command(
    () => say('jobs'),
    () => void openJobs(),
  ),
  ...planImpersonation(user),
  command(
    () => say('account'),
    () => go('/account'),
  ),
  command(
    () => say('signOut'),
    () => void signOut(),
  ),
]

/** Holds what a user can do in every place, as things are now. Returns what ends it. */
export const holdFrameCommands = (user: CallerUser): (() => void) =>
  holdShortcuts([...KEYS, ...planCompanies(user), ...planLooks(), ...planSession(user)])
