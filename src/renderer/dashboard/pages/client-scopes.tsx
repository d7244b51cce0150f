import { useId } from 'react';
import { LEAST_SCOPE, SCOPES, sortScopes, type Scope } from '../../../shared/access/scopes.ts';
import { clientTexts as texts, scopeTexts } from '../../texts/clients.ts';

/** In the order in which an owner grants them: paid calls come before anything that is sent. */
const ORDER = [...SCOPES].toSorted((a, b) => Number(b === 'x402:execute') - Number(a === 'x402:execute')).toSorted((a, b) => Number(b === LEAST_SCOPE) - Number(a === LEAST_SCOPE));

interface ScopeFieldsProps {
  readonly scopes: readonly Scope[];
  readonly onChange: (scopes: readonly Scope[]) => void;
}

/** A box for each thing that a client may do. The least is always ticked. */
export function ScopeFields({ scopes, onChange }: ScopeFieldsProps) {
  const id = useId();
  const toggle = (scope: Scope, wanted: boolean) => onChange(sortScopes(wanted ? [...scopes, scope] : scopes.filter((other) => other !== scope)));
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 text-sm text-muted">{texts.may}</legend>
      <ul className="grid gap-2">
        {ORDER.map((scope) => (
          <li key={scope} className="flex items-start gap-3">
            <input
              id={`${id}-${scope}`}
              type="checkbox"
              className="mt-1 size-4 shrink-0 accent-(--accent)"
              checked={scope === LEAST_SCOPE || scopes.includes(scope)}
              disabled={scope === LEAST_SCOPE}
              aria-describedby={`${id}-${scope}-note`}
              onChange={(event) => toggle(scope, event.target.checked)}
            />
            <div className="min-w-0">
              <label htmlFor={`${id}-${scope}`} className="font-medium">
                {scopeTexts[scope].label}
              </label>
              <p id={`${id}-${scope}-note`} className="text-sm text-muted">
                {scopeTexts[scope].note}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}

/** What a client may do, as short words side by side. */
export function ScopeChips({ scopes }: { readonly scopes: readonly Scope[] }) {
  return (
    <ul aria-label={texts.may} className="flex flex-wrap gap-1.5">
      {ORDER.filter((scope) => scopes.includes(scope)).map((scope) => (
        <li key={scope} title={scope} className={`rounded-full px-2.5 py-0.5 text-sm font-medium ${scope.endsWith(':write') ? 'bg-warn-soft text-warn' : 'bg-inset text-muted'}`}>
          {scopeTexts[scope].short}
        </li>
      ))}
    </ul>
  );
}
