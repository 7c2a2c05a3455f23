/** The menu of the user: appearance, language, sign-out. */
import '@vaadin/menu-bar/vaadin-menu-bar.js'
import type { MenuBarItem } from '@vaadin/menu-bar/vaadin-menu-bar.js'
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
import { openDialog } from './frame-dialogs.tsx'
import { LANGUAGES, language, say } from '../../texts/texts.ts'

type Item = MenuBarItem & { run?: () => void }

/** A choice of company, for those who have several. */
const planCompanies = ({ Company }: CallerUser): Item[] =>
  companies.value.length < 2
    ? []
    : [
        {
          text: say('company'),
          children: companies.value.map(({ Id, Name }) => ({
            text: Name,
            checked: Id === Company.Id,
            run: () => void switchCompany(Id),
          })),
        },
      ]

const planItems = (user: CallerUser): Item[] => [
  {
    text: user.DisplayName,
    children: [
      ...planCompanies(user),
      {
        text: say('theme'),
        children: (['system', 'light', 'dark'] as const).map((each) => ({
          text: say(
            each === 'light' ? 'themeLight' : each === 'dark' ? 'themeDark' : 'themeSystem',
          ),
          checked: theme.value === each,
          run: () => setTheme(each),
        })),
      },
      {
        text: say('density'),
        children: (['comfortable', 'compact'] as const).map((each) => ({
          text: say(each),
          checked: density.value === each,
          run: () => setDensity(each),
        })),
      },
      {
        text: say('language'),
        children: Object.entries(LANGUAGES).map(([name, text]) => ({
          text,
          checked: language.value.split('-')[0] === name,
          run: () => void chooseLanguage(name),
        })),
      },
      { component: 'hr' },
      { text: say('account'), run: () => go('/account') },
      ...(mayImpersonate(user)
        ? [{ text: say('impersonate'), run: () => void openDialog('impersonation') }]
        : []),
      { text: say('keys'), run: () => void openDialog('keys') },
      { component: 'hr' },
      { text: say('signOut'), run: () => void signOut() },
    ] as Item[],
  },
]

/** The menu, under the user's name. */
export function UserMenu({ user }: { user: CallerUser }) {
  return (
    <vaadin-menu-bar
      theme="tertiary end-aligned"
      items={planItems(user)}
      onitem-selected={({ detail }) => (detail.value as Item).run?.()}
    />
  )
}
