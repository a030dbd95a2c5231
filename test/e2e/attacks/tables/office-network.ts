/** What a computer in the office's network could do by pretending to be the service, or the proxy on the way to it. */
import type { Area, Attack } from '../attack.ts'
import type { Guard } from '../guards.ts'

const by = (guard: Guard, ...names: string[]): Attack[] => names.map((name) => ({ name, guard: [guard] }))

export const officeNetwork: Area = {
  title: 'The office’s own network',
  about:
    'An office may trust certificate authorities of its own, show client certificates, sign in to a proxy, and reach a host of its own without encryption. Each is leave that another computer in that network would like to have.',
  by: 'network',
  unit: 'test/unit/attacks/office-network.test.ts',
  guard: ['own authorities'],
  attacks: [
    ...by(
      'own authorities',
      'have an authority of the same name vouch for it',
      'have an authority vouch that nobody named',
      'show the certificate of another server',
      'show a certificate that is over',
      'show a certificate that isn’t valid yet',
      'show a certificate of a client',
      'show the certificate of an authority as its own',
      'have a server vouch for it',
      'have an authority vouch that stands too far below',
      'have an authority vouch beyond its names',
      'have an authority vouch that is over',
      'show a short key',
      'show a signature that can be forged',
      'send certificates without end'
    ),
    ...by(
      'client certificate',
      'be shown the certificate at another host',
      'be shown the certificate at another port',
      'be shown the certificate after an account was led there',
      'be shown one of another issuer in place of one that is gone',
      'be shown the certificate without encryption'
    ),
    ...by(
      'proxy sign-in',
      'be given the proxy’s password as a website',
      'be given the password as another proxy',
      'be given the password at another port',
      'be given a password again that it refused',
      'have a wrong password shown until its user is locked out',
      'be given the password of the proxy before it in a list',
      'be given the password under a name that only looks like the proxy’s',
      'be given a password again once it had taken it',
      'have a password taken for right that another proxy didn’t ask for',
      'hold up all requests by one that was given up'
    ),
    ...by('policy reading', 'be gone past, by what the policy names as the proxy'),
    ...by(
      'only encrypted',
      'have a service reached without encryption',
      'pass for a host that may be, by a name below it',
      'pass for a host that may be, by a name that begins with it',
      'pass for a host that may be, in place of a user’s name'
    )
  ]
}
