import { useEffect, useState } from "react";
import type { ConsoleApplication } from "../../../../../src/contract/console/applications.ts";
import { useMe } from "../../../api/me.ts";
import { type AuthLinkParts, buildAuthLink } from "./auth-link.ts";
import { newPkce, type Pkce, randomText } from "./pkce.ts";

export interface AuthLinkForm {
  parts: AuthLinkParts;
  link: string;
  /** The browser can do no cryptography here. */
  cannotProve: boolean;
  change: (changes: Partial<Pick<AuthLinkParts, "redirectUri" | "state" | "loginHint">>) => void;
  setUsesPkce: (uses: boolean) => void;
  renew: () => void;
}

/** An auth link in the making. State and PKCE are new each time, as they have to be for each person. */
export function useAuthLink(application: ConsoleApplication): AuthLinkForm {
  const { public_url } = useMe();
  const [round, setRound] = useState(0);
  const [usesPkce, setUsesPkce] = useState(true);
  const [made, setMade] = useState<{ pkce: Pkce | null } | null>(null);
  const [chosen, setChosen] = useState({ redirectUri: "", state: randomText(), loginHint: "" });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round makes new ones
  useEffect(() => {
    let isWanted = true;
    void newPkce().then((pkce) => {
      if (isWanted) setMade({ pkce });
    });
    return () => {
      isWanted = false;
    };
  }, [round]);
  const redirectUri = application.redirect_uris.includes(chosen.redirectUri)
    ? chosen.redirectUri
    : (application.redirect_uris[0] ?? "");
  const isProved = usesPkce || application.require_pkce;
  const parts: AuthLinkParts = {
    ...chosen,
    publicUrl: public_url,
    clientId: application.id,
    redirectUri,
    pkce: isProved ? (made?.pkce ?? null) : null,
  };
  return {
    parts,
    link: buildAuthLink(parts),
    cannotProve: made !== null && made.pkce === null,
    change: (changes) => setChosen((before) => ({ ...before, ...changes })),
    setUsesPkce,
    renew() {
      setRound((before) => before + 1);
      setChosen((before) => ({ ...before, state: randomText() }));
    },
  };
}
