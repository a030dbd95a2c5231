/** E-mail addresses: what can't be one is an error, what hardly is the one that was meant a warning. */
import { z } from 'zod'
import { error, type Problem, warning } from './problem.ts'

const email = z.email({ pattern: z.regexes.unicodeEmail })

/** Slips that are seen again and again, each with what was meant. None of them takes mail for somebody's office. */
const slips = new Map(
  Object.entries({
    'gmial.com': 'gmail.com',
    'gmai.com': 'gmail.com',
    'gmal.com': 'gmail.com',
    'gamil.com': 'gmail.com',
    'gnail.com': 'gmail.com',
    'gmaill.com': 'gmail.com',
    'gmail.co': 'gmail.com',
    'gmail.con': 'gmail.com',
    'gmail.cm': 'gmail.com',
    'gmail.co.nz': 'gmail.com',
    'gmail.com.au': 'gmail.com',
    'hotmial.com': 'hotmail.com',
    'hotmal.com': 'hotmail.com',
    'hotmai.com': 'hotmail.com',
    'hotmail.con': 'hotmail.com',
    'outlok.com': 'outlook.com',
    'outloook.com': 'outlook.com',
    'outlook.con': 'outlook.com',
    'iclod.com': 'icloud.com',
    'icoud.com': 'icloud.com',
    'icloud.con': 'icloud.com',
    'yaho.com': 'yahoo.com',
    'yahooo.com': 'yahoo.com',
    'yhaoo.com': 'yahoo.com',
    'yahoo.con': 'yahoo.com',
    'xtra.co': 'xtra.co.nz',
    'xtra.con.nz': 'xtra.co.nz',
    'extra.co.nz': 'xtra.co.nz',
    'bigpond.con': 'bigpond.com',
    'bigpnd.com': 'bigpond.com'
  })
)

/** Whether the strict model takes it as an address. */
export function isEmail(address: string): boolean {
  return email.safeParse(address.trim()).success
}

/** What is wrong with an address that is needed. */
export function problemsOfEmail(at: string, address: string): Problem[] {
  const typed = address.trim()
  if (!typed) return [error(at, 'Enter an e-mail address.')]
  if (!isEmail(typed)) return [error(at, "This isn't an e-mail address: it needs a name, an @ and a domain.")]
  const domain = typed.slice(typed.lastIndexOf('@') + 1).toLowerCase()
  const meant = slips.get(domain)
  if (meant) return [warning(at, `Did you mean ${meant}? This address ends in ${domain}.`)]
  // Addresses within an organisation may lack one: a warning, not a bar.
  return domain.includes('.') ? [] : [warning(at, 'This address seems to lack an ending, such as .com or .nz.')]
}
