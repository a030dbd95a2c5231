/** Requests about employers and about the forms that the office knows. */
import type { Employers } from '../core/directory/employers.ts'
import type { KnownForms } from '../core/directory/known-forms.ts'
import { chosenId } from './accounts.ts'
import type { Accounts } from './parts.ts'
import type { RequestHandlers } from './registration.ts'

type Handled = Extract<keyof RequestHandlers, `employers.${string}` | 'forms.known'>

export interface DirectoryParts {
  accounts: Accounts
  employers: Employers
  forms: KnownForms
}

export function directoryHandlers({ accounts, employers, forms }: DirectoryParts): Pick<RequestHandlers, Handled> {
  return {
    'employers.list': (demand) => employers.list(chosenId(accounts), demand),
    'employers.save': ({ records }) => employers.save(chosenId(accounts), records),
    'forms.known': () => forms.list(chosenId(accounts))
  }
}
