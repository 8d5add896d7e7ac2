//! The attributes of the drawn pictures in the items. A test computes them, and names the new table
//! after a change of a picture.

#![allow(clippy::unreadable_literal, reason = "a test writes this table")]

/// The attributes of a picture in an item, besides its width and its height.
pub(super) struct Drawn {
    /// The id, which is made from the pixels.
    pub(super) id: &'static str,
    /// The bytes of both JPEGs.
    pub(super) bytes: u64,
    pub(super) blurhash: &'static str,
}

const fn drawn(id: &'static str, bytes: u64, blurhash: &'static str) -> Drawn {
    Drawn { id, bytes, blurhash }
}

/// The scenes and then the portraits.
pub(super) const DRAWN: &[Drawn] = &[
    drawn("efd1c3ab0f406cbb", 110830, "LxJGc;t6RQof-Bj[azjZ0#R*kCjZ"),
    drawn("9e4b641ab2a5bc83", 174620, "L467~GIoWE%Nx|IVaxxu9qM|obt6"),
    drawn("a0144ebff765a26e", 118989, "TmK-%$xttRXpayoz0gWCRP?bogRP"),
    drawn("939100888a9de8f5", 138058, "LPG[G~%M4TM{xabHWCj[4oRj%LjF"),
    drawn("1eb918afb4141e5f", 209989, "LD99ZQX7Vto#53o|ayW-v7ogf*bt"),
    drawn("16efb8c6bd800c62", 216825, "LAI;nt}X4:=#,Gq^kP$lIaESIqEK"),
    drawn("ebeac1392d4328dc", 125591, "TnLq@HbHRj~qkCWCIUf6WBRkfQj["),
    drawn("5be40382512a7236", 233061, "TPJ@n3=_mk*0afR40-NIr:bKs-$~"),
    drawn("48056d01e991b79b", 60369, "LdM5:@-.xZn*pLSiWXay0.WDWCay"),
    drawn("91fd8851f3b55145", 199553, "T45?nk.ixZMNH^kWHcDTpG.OyUyU"),
    drawn("461bbc96d5965546", 128153, "LpJ$?jofV@oMwNj[a{ay0%WVofWV"),
    drawn("14d1286892d54905", 85596, "LUJaJ#%ft6^i_Lxss:xuD%RjWER."),
    drawn("38f25ccba145c05f", 83858, "TLC$ZwRnIpXUNGRj0xf+s:wHs.t6"),
    drawn("657d7cdb05c1ca4c", 159434, "L%JRXQWCR*kET}WCoKt6N2j]jGR+"),
    drawn("ef04b8924cd21ef0", 139598, "LUKchUsmD5tR%hayVrofOsbbV?i^"),
    drawn("612ee7180c31a934", 128238, "LzICgRj[Ipn+WFfRazay0}jbtPW."),
    drawn("09f74359336d6e25", 187606, "LOHC6[%y$*=_~AxtNHWBw0x@jFM|"),
    drawn("e339669b4b79fce2", 164636, "TABM_cxuI]M_tlRj00IAxBN|ROax"),
    drawn("a839fef50f6a2894", 127864, "LmDdn%o#adoz.AbIaxj]XBWBf6a}"),
    drawn("46defeb30deee25c", 179163, "T#I~Pd16MfxsWYWrWBoKbFoyWXay"),
    drawn("504a1efd32bf853d", 158059, "LeEfpet7M|j]00WBt6aej=WBj[of"),
    drawn("d6842d186d8e4265", 166312, "TYET*hoLjr}roKoLjsoKs:EOoKxF"),
    drawn("65b4ca4c10e6135e", 114015, "LbM7o]xHxFxa%hniNGn$0LWVNajY"),
    drawn("b1f90f8f962c7657", 103095, "TYIzhv-VwK-rofay0iNGS19wNGfk"),
    drawn("8cd2c2cc9758ffd8", 197863, "TH9*W9ae%1%%M|ay9GM{M|Q,jZjs"),
    drawn("12a498f024ef9957", 156234, "LzOe;Rs.RQxa~UjYWBf+IofPayj["),
    drawn("a1e68759d00d89d2", 172568, "TlEf[;WCIpI]fkof0Moy%1={kCWC"),
    drawn("5f33b0e715d85d0b", 59268, "LHA0-A?cofRlxtxtj[Ri9WRij[j["),
    drawn("79a5d9fc12c11afe", 175947, "LAC%X3?b4TXT%NxtWB-o9EaeaKR4"),
    drawn("bc4576b86314acf2", 115397, "TlG0*9xuNG.At6od4UWVs-M}R+WC"),
    drawn("09d0d01dd5ba1bc4", 182283, "TiNIjDWVRj}@ayn$n5s:WBRQoeWX"),
    drawn("fe5cf600a4c4d0bf", 224157, "TMEKmdsqNZMws;of1Xa}WAJ#R%Ns"),
    drawn("9b818ab381d85ee2", 174455, "LIDItQ%Lxut7xvofxZj[0fWCxZoK"),
    drawn("93ff097c47f52a8e", 130432, "TOGQ*Es;Rj~CofWBIvofay58bHWB"),
    drawn("435a1de3911cd4ca", 190030, "LDJHp@-o10wG#RS~Irv}J*OZrWxa"),
    drawn("1109c0e0d97b0f84", 179289, "L8F|n|%^9K0iBk?W}=5A%c}XEN,s"),
    drawn("007b0f7d1e95b12c", 132941, "TP98rea}ROV[f6js8^fPt7t6aybH"),
    drawn("7be89d49dfa47d1b", 75145, "LNChdJxaaLI:ssofa{af0zR*baxa"),
    drawn("8480b6ccae9ff6f3", 141843, "LB98e[OTDOS~tRXmrsM|9Dxvkss:"),
    drawn("c791c7ccf1c145e0", 109649, "L*Mh[WozWYn%wNa#WYjZ0iWBa_a|"),
    drawn("bc4dc8cb832bc37d", 81435, "LhHyRSxvRkogyFV@WAof02R,kCfk"),
    drawn("699bf7acd49b4aea", 82372, "TEBf@A~o9wyX%MxE9vNH$#^NsAI?"),
    drawn("a89db1e46f33d19f", 152303, "TgIYz_t7M|0Pa#t6Rna#ayVXaeR+"),
    drawn("2e013e6372fe9ad9", 148818, "L$IFVk0gRP$#xaW=R+jYjYj[a#ay"),
    drawn("d796aefdd2ead425", 115823, "TkO.t8xas,}@j[WBD%ayNIn,j?t6"),
    drawn("0840f53b8a290a87", 153052, "LRDlcet6V[t6~AoefPoxM|oet6j["),
    drawn("57d044e21f9c97ab", 93090, "T89j~6NGBm%jWBM^Mxt7oLD#og%O"),
    drawn("2bd03ae5f26405cf", 252273, "LFKS^8OYbpMz~mxtxYtQIqw{r@xt"),
    drawn("6baf1d92e0a0318a", 102484, "TrMF?wxt$y},jZt6OYbHWF-Sj?WB"),
    drawn("d158b919a768874f", 70606, "TRIF9p?Fyr80NKxa^JxYQ-TyShV@"),
    drawn("5ea10f469b2b6085", 63479, "TgM~|t-oI{?wX6fAD+afsjxxbHac"),
    drawn("e73e896c454b2d57", 79630, "TpM?xExu?G~Ajaxt9vbHV[={j[WB"),
    drawn("79703c3547834cda", 98562, "TgG[Qp%1g*2wS2xu=ds:aJcabbWC"),
    drawn("afec92ccfed24aeb", 102381, "TeK-zP%MKM_JoJW=9~WErstQfPjr"),
    drawn("6ae555dd9bae8584", 72096, "TqMZ?mxu%g~pj[t79uWCaJ?aofNG"),
    drawn("dc9651c6a6ce5364", 107941, "TjM~X#%2={m,Rk$*Xms:WU}toKjZ"),
    drawn("7277df88fee8ba6e", 66046, "TcI#fW%2Em?^fkRkE2f6wHXUbIt6"),
    drawn("bb30552e69662d8e", 103228, "TcM$9b%1~8^}SfxY^OsoE4?Dk9Rk"),
    drawn("d19943008e713e88", 74154, "TRK2he?bLN13M{tS.9xurBK+R*nN"),
    drawn("b692a5e9eece777a", 67913, "ToMsi|xut9~Cjat856WVs-%3j[f5"),
    drawn("04e311f542c2363c", 71533, "TbJI9E%MF}~qoLX957WVwHyEj[aJ"),
    drawn("dd4d55a0c553f3dc", 69048, "TeKc^.xutB~Ej?xb9uWCnz^mofM{"),
    drawn("587f157dcd7e721f", 65162, "T,NvJ0tQxZ~AjbaeJ7bGRk$%j@bH"),
    drawn("60e2439ce8d309ab", 99452, "TRJu4D-p7y?Xaxk=4=WY-BuhbboI"),
    drawn("e07f2aba3c38a131", 69149, "TaPhOA-o~CwSNK-Utdt4Io=zWXWB"),
    drawn("1102e56a436fec11", 72196, "TdIYCG%LyF-@aht7NsfkVq%Oj]V@"),
    drawn("f0ecfc2c7157e40d", 111081, "TkKA+bxu?Y~6jYt6x]kCIW=_j[Rk"),
    drawn("5d684fbd39416dc0", 69354, "TdJ@LMxu?H}raexaOtkCIo^joKM|"),
];
